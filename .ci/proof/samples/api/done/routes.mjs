export function answer(url) {
  if (url.pathname === '/') return { status: 200, body: { up: true } };
  if (url.pathname === '/greet') return { status: 200, body: { hello: url.searchParams.get('name') } };
  return { status: 404, body: { error: 'not found' } };
}
