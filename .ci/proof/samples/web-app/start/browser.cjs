// onPage starts the server and a browser, hands the page to use, and stops both however that ends.
const { spawn } = require('node:child_process');
const { once } = require('node:events');
const { createInterface } = require('node:readline');
const { chromium } = require('playwright-core');

async function onPage(use) {
  const server = spawn(process.execPath, ['server.mjs'], {
    cwd: __dirname, env: { ...process.env, PORT: '0' }, stdio: ['ignore', 'pipe', 'inherit'],
  });
  let browser;
  try {
    const [address] = await once(createInterface({ input: server.stdout }), 'line');
    browser = await chromium.launch({
      executablePath: '/usr/bin/chromium',
      args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
        '--disable-background-networking', '--disable-component-update', '--disable-sync'],
    });
    const page = await browser.newPage({ viewport: { width: 480, height: 320 } });
    page.setDefaultTimeout(15000);
    await page.goto(address);
    return await use(page, address);
  } finally {
    await browser?.close();
    const gone = once(server, 'exit');
    if (server.kill()) await gone;
  }
}

module.exports = { onPage };
