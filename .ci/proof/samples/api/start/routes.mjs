export function answer(url) {
  if (url.pathname === '/') return { status: 200, body: { up: true } };
  return { status: 404, body: { error: 'not found' } };
}
