// Proves features of four kinds of projects through the binary: node proof.mjs BINARY
import { api } from './api.mjs';
import { cli } from './cli.mjs';
import { library } from './library.mjs';
import { webApp } from './web_app.mjs';
import { check, finish } from './count.mjs';
import { live } from './life.mjs';

// Each waits a lot, so all live at once.
await Promise.all([cli, library, api, webApp].map(async (sample) => {
  const began = Date.now();
  try {
    await live(process.argv[2], sample);
  } catch (error) {
    check(`${sample.type}: lives through`, false, error.stack);
  }
  console.log(`${sample.type}: ${((Date.now() - began) / 1000).toFixed(1)} s`);
}));
finish();
