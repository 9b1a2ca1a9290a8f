// Uses the page like a person, in headless Chromium: node page.mjs FILE [SCREENSHOTS]. Fails at the first thing that is wrong.
import assert from 'node:assert/strict';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join, resolve} from 'node:path';
import {pathToFileURL} from 'node:url';
import {chromium} from 'playwright-core';

const [file, shots] = process.argv.slice(2);
const profile = mkdtempSync(join(tmpdir(), 'leasedoc-chromium-'));
const context = await chromium.launchPersistentContext(profile, {
  executablePath: process.env.CHROMIUM,
  viewport: {width: 1280, height: 900},
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
    '--disable-component-update', '--disable-sync'],
});
try {
  const page = context.pages()[0];
  const trouble = [];
  page.on('console', m => { if (['error', 'warning'].includes(m.type())) trouble.push(m.text()); });
  page.on('pageerror', e => trouble.push(String(e)));
  page.on('request', r => { if (!/^(file|data):/.test(r.url())) trouble.push('network: ' + r.url()); });
  await page.goto(pathToFileURL(resolve(file)).href);
  const shoot = name => shots && page.screenshot({path: join(shots, name + '.png'), fullPage: true});

  // Every state and every arrow answers to the mouse and to the keyboard.
  const keys = await page.$$eval('[data-key]', parts => parts.map(p => p.dataset.key));
  const panel = page.locator('#panel');
  for (const key of keys) {
    const part = page.locator(`[data-key="${key}"]`);
    await part.locator('rect').first().click();
    assert.equal(await part.getAttribute('aria-pressed'), 'true', key);
    const shown = await panel.innerText();
    assert.ok(shown.length > 200, `${key} says too little`);
    await page.locator(`[data-key="${keys.find(k => k !== key)}"]`).press('Enter');
    assert.notEqual(await panel.innerText(), shown, `${key}: the panel does not change`);
    await part.press(' ');
    assert.equal(await panel.innerText(), shown, `${key} by keyboard`);
    assert.ok(await part.getAttribute('aria-label'), `${key} has no name`);
  }

  // Both stories, step by step; every possible crash of every step has its four verdicts, and nothing is removed or
  // admitted beside a living plugin.
  let seen = 0;
  for (const name of await page.$$eval('#story option', o => o.map(x => x.textContent))) {
    await page.selectOption('#story', {label: name});
    while (!await page.isDisabled('#back')) await page.click('#back');
    for (;;) {
      for (const choice of ['#owner', '#gate', '#plugin', '#place']) {
        for (const radio of await page.locator(`${choice} input:enabled`).all()) {
          if (!await radio.isEnabled()) continue;
          await radio.check();
          const said = await page.$$eval('.verdict strong', v => v.map(x => x.textContent));
          assert.equal(said.length, 4);
          const checked = await page.$$eval('.choices input:checked', c => c.map(x => x.value));
          assert.equal(checked.length, 4, `${name}: each question has one answer`);
          if (checked[2] === 'runs') assert.notEqual(said[2], 'removes it', checked.join());
          if (checked[2] === 'runs' && checked[0] !== 'at-work') assert.equal(said[0], 'refused', checked.join());
          seen++;
        }
      }
      await page.locator('#place input[value=here]').check();
      if (await page.isDisabled('#next')) break;
      await page.click('#next');
    }
  }
  await page.locator('#step').focus();
  await page.keyboard.press('Home');
  assert.match(await page.locator('#count').innerText(), /^1 of/);

  // Contrast of text against what is behind it, and how the page stands on a wide, a dark and a narrow screen.
  for (const scheme of ['light', 'dark']) {
    await page.emulateMedia({colorScheme: scheme});
    for (const [text, ground] of await page.evaluate(pairs)) {
      assert.ok(contrast(text, ground) >= 4.5, `${scheme}: ${text} on ${ground}`);
    }
    await page.locator('[data-key="arrow:host-starting.hostStarted"] rect').first().click();
    await page.locator('#step').fill('14');
    await page.locator('#owner input[value=dead]').check();
    await shoot(scheme);
  }
  await page.setViewportSize({width: 420, height: 900});
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'a narrow screen scrolls sideways');
  await shoot('narrow');
  assert.deepEqual(trouble, []);
  console.log(`${keys.length} states and arrows, ${seen} crashes, no trouble`);
} finally {
  await context.close();
  rmSync(profile, {recursive: true, force: true});
}

// pairs runs in the page: the colours in use as [text, background].
function pairs() {
  const style = getComputedStyle(document.documentElement);
  const colour = name => style.getPropertyValue('--' + name).trim();
  return [['ink', 'ground'], ['soft', 'ground'], ['soft', 'page'], ['ink', 'page'], ['focus', 'ground'], ['focus', 'page'], ['ink', 'held'],
    ['ink', 'free'], ['ink', 'unsafe'], ['ink', 'complete']].map(([a, b]) => [colour(a), colour(b)]);
}

function contrast(a, b) {
  const light = hex => {
    const digits = hex.length === 4 ? [...hex.slice(1)].map(d => d + d) : hex.match(/[0-9a-f]{2}/gi);
    const [r, g, b] = digits.map(d => parseInt(d, 16) / 255).map(v => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const [high, low] = [light(a), light(b)].sort((x, y) => y - x);
  return (high + 0.05) / (low + 0.05);
}
