'use strict';
const data = JSON.parse(document.getElementById('data').textContent);
const $ = id => document.getElementById(id);

function element(tag, text, className) {
  const e = document.createElement(tag);
  if (text !== undefined) e.textContent = text;
  if (className) e.className = className;
  return e;
}

// The diagram: a click, Enter or Space shows what is known of a state or an arrow.
const parts = [...document.querySelectorAll('[data-key]')];

function choose(part) {
  for (const p of parts) p.setAttribute('aria-pressed', String(p === part));
  const entry = data.entries[part.dataset.key];
  const list = element('dl');
  for (const [name, text] of entry.rows) list.append(element('dt', name), element('dd', text));
  $('panel').replaceChildren(element('h2', entry.title), element('p', entry.lead), list);
  if (entry.crashes) $('panel').append(tableOf(entry.crashes));
}

function tableOf([head, ...rows]) {
  const table = element('table');
  const tr = (cells, tag) => {
    const row = element('tr');
    for (const c of cells) row.append(element(tag, c));
    return row;
  };
  table.append(tr(head, 'th'), ...rows.map(r => tr(r, 'td')));
  for (const th of table.querySelectorAll('th')) th.scope = 'col';
  return table;
}

for (const part of parts) {
  part.addEventListener('click', () => choose(part));
  part.addEventListener('keydown', e => {
    if (e.key !== 'Enter' && e.key !== ' ') return;
    e.preventDefault();
    choose(part);
  });
}

// The walk: a moment, an accident, and what everybody says of it.
const questions = {
  owner: [['at-work', 'at work'], ['let-go', 'replaced itself by exec'], ['dead', 'dead']],
  gate: [['none', 'none'], ['alive', 'alive'], ['ended', 'ended by itself'], ['killed', 'killed']],
  plugin: [['quiet', 'no process'], ['runs', 'a process alive']],
  place: [['here', 'in the owner\u2019s namespace'], ['there', 'in another one'], ['reboot', 'after a reboot']],
};
const names = Object.keys(questions);
const wish = {owner: 'at-work', gate: 'alive', plugin: 'runs', place: 'here'};
let last = 'owner'; // the question answered last: its answer stands, the others give way

for (const name of names) {
  for (const [value, text] of questions[name]) {
    const label = element('label');
    const input = element('input');
    Object.assign(input, {type: 'radio', name, value});
    input.addEventListener('change', () => { wish[name] = value; last = name; show(); });
    label.append(input, text);
    $(name).append(label);
  }
}
data.stories.forEach((s, i) => $('story').append(new Option(s.name, i)));

const moments = () => data.stories[$('story').value].moments;

// The possible accident that fits the wishes best.
function accident(moment) {
  const keys = Object.keys(moment.after).map(k => k.split('.'));
  const weights = {place: 8, owner: 4, plugin: 2, gate: 1};
  const fit = k => names.reduce((sum, n, i) => sum + (k[i] === wish[n] ? weights[n] + (n === last ? 16 : 0) : 0), 0);
  return keys.reduce((best, k) => (fit(k) > fit(best) ? k : best));
}

function show() {
  const all = moments(), at = Number($('step').value), moment = all[at];
  $('step').max = all.length - 1;
  $('step').setAttribute('aria-valuetext', moment.title);
  $('count').textContent = `${at + 1} of ${all.length}`;
  $('back').disabled = at === 0;
  $('next').disabled = at === all.length - 1;
  $('moment-title').textContent = moment.title;
  $('moment-text').textContent = moment.text;
  for (const f of ['disk', 'settled', 'memory']) $(f).textContent = moment[f];
  for (const p of parts) {
    const here = p.dataset.key === 'state:' + moment.disk || p.dataset.key === 'arrow:' + moment.arrow;
    p.classList.toggle('now', here);
  }
  const found = accident(moment);
  offer(moment, found);
  judge(data.judgements[moment.after[found.join('.')]], found);
}

// Only what can be found at this moment is offered: after a reboot nobody lives.
function offer(moment, found) {
  const keys = Object.keys(moment.after).map(k => k.split('.'));
  names.forEach((name, i) => {
    for (const input of document.getElementsByName(name)) {
      const possible = keys.some(k => k[i] === input.value && (name === 'place' || k[3] === found[3]));
      input.checked = input.value === found[i];
      input.disabled = !possible;
      input.parentElement.classList.toggle('off', !possible);
    }
  });
}

function judge(j, found) {
  const admitted = j.block === '';
  const cards = [
    ['A second acquire', admitted ? 'admitted' : 'refused', admitted ? data.words[''] : data.words[j.block], admitted ? 'good' : 'bad'],
    ['list and show', j.outcome || 'no lease', data.words[j.outcome] || '', j.outcome === 'gone' || !j.outcome ? 'good' : j.outcome === 'active' ? 'calm' : 'bad'],
    ['doctor --apply', !j.outcome ? 'nothing to do' : j.removable ? 'removes it' : 'keeps it',
      j.removable ? (j.repaired ? 'so does routine repair' : 'routine repair does not') : '', j.removable || !j.outcome ? 'good' : 'calm'],
    ['The original program', j.original[0] === 'admitted' ? 'admits' : 'refuses',
      'its doctor says: ' + j.original[1], j.original[0] === 'admitted' && found[2] === 'runs' && found[0] !== 'at-work' ? 'bad' : 'calm'],
  ];
  $('verdicts').replaceChildren(...cards.map(([who, what, why, tone]) => {
    const card = element('div', undefined, 'verdict ' + tone);
    card.append(element('b', who), element('strong', what), element('small', why));
    return card;
  }));
  const next = element('code', 'containlease ' + j.next);
  $('why').replaceChildren(`${j.rule}: ${j.because}.`, j.missing.length ? ` Missing: ${j.missing.join(', or ')}.` : '', ' Next: ', next);
}

function go(by) { $('step').value = Number($('step').value) + by; show(); }
$('back').addEventListener('click', () => go(-1));
$('next').addEventListener('click', () => go(1));
$('step').addEventListener('input', show);
$('story').addEventListener('change', () => { $('step').value = Math.min($('step').value, moments().length - 1); show(); });

choose(document.querySelector('[data-key="state:host-active"]'));
show();
