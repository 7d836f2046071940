// Takes a picture of the page with a note on it: node screenshot.cjs FILE
const { onPage } = require('./browser.cjs');

onPage(async (page) => {
  await page.fill('#text', 'buy milk');
  await page.click('#add');
  await page.screenshot({ path: process.argv[2] });
});
