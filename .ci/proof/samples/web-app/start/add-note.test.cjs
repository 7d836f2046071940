const assert = require('node:assert/strict');
const test = require('node:test');
const { onPage } = require('./browser.cjs');

test('a note that was added is in the list', () => onPage(async (page, address) => {
  console.log(`served at ${address}`);
  await page.fill('#text', 'buy milk');
  await page.click('#add');
  assert.deepEqual(await page.locator('#notes li').allTextContents(), ['buy milk'], 'the list of notes');
  assert.equal(await page.inputValue('#text'), '', 'the field is empty again');
}));
