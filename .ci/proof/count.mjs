// Counts expectations.
let passed = 0;
let failed = 0;

// check counts one expectation and prints it when it does not hold.
export function check(what, holds, seen) {
  if (holds) {
    passed++;
    return;
  }
  failed++;
  console.error(`FAIL ${what}\n     got ${JSON.stringify(seen)?.slice(0, 1500)}`);
}

// finish prints the count and sets the exit code.
export function finish() {
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
}

// until waits for holds to become true, at most some seconds, and says whether it did.
export async function until(holds, seconds = 30) {
  for (const end = Date.now() + seconds * 1000; ;) {
    if (await holds()) return true;
    if (Date.now() > end) return false;
    await new Promise((wake) => setTimeout(wake, 50));
  }
}
