// Counts what stands on its input: words.mjs --lines
import { readFileSync } from 'node:fs';

const text = readFileSync(0, 'utf8');
const counts = { '--lines': () => text.split('\n').length - 1 };
const count = counts[process.argv[2]];
if (!count) {
  console.error(`words: unknown option ${process.argv[2]}`);
  process.exit(2);
}
console.log(count());
