// slug makes a title fit for an address.
export function slug(title) {
  return title.toLowerCase();
}
