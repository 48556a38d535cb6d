import { html } from './escape.ts'
import type { PageContent } from './layout.ts'

const questions = [
  ['#expiring', 'What expires in the next 90 days?', 'A timeline'],
  ['#markets', 'Where may this product be sold today, and why not?', 'Products and countries'],
  ['#approvals', 'How far are my approvals?', 'Approvals by stage'],
  ['#changes', 'What changed since yesterday?', 'Changes by hour'],
  ['#history', 'What happened to a record?', 'Its history'],
  ['/docs', 'Ask anything else', 'In the reference'],
] as const

const tabs = [
  ['table', 'Table'],
  ['json', 'JSON'],
  ['curl', 'curl'],
  ['javascript', 'JavaScript'],
  ['python', 'Python'],
] as const

const records = [
  [
    'They go through stages',
    [
      ['approvals/apr-tracker-mini-au', 'Approval of Tracker Mini for Australia'],
      ['certificates/crt-smartlock-au', 'Certificate of SmartLock 4 “Brücke” for Australia'],
      ['certificates/crt-smartlock-au-twice', 'The same certificate, entered twice and then deleted'],
    ],
  ],
  [
    'The calendar changes them',
    [['certificates/crt-lumen-gateway-kw', 'Certificate of Lumen Gateway for Kuwait']],
  ],
  [
    'The button below changes them',
    [
      ['approvals/apr-levelsense-de', 'Approval of LevelSense 60 GHz Radar for Germany'],
      ['approvals/apr-levelsense-us', 'Approval of LevelSense 60 GHz Radar for the United States'],
      ['approvals/apr-lumen-gateway-kw', 'Approval of Lumen Gateway for Kuwait'],
      ['approvals/apr-lumen-gateway-lte-cn', 'Approval of Lumen Gateway LTE for China'],
      ['approvals/apr-smartlock-br', 'Approval of SmartLock 4 “Brücke” for Brazil'],
    ],
  ],
] as const

const recordBlock = html`<div id="record-block" hidden><label for="record">Record</label><select id="record" autocomplete="off">${records.map(
  ([label, list]) =>
    html`<optgroup label="${label}">${list.map(([value, name]) => html`<option value="${value}">${name}</option>`)}</optgroup>`,
)}</select><p class="hint">Each time is that of the write. The example was loaded with four weeks of stages at once. Later entries come day by day.</p></div>`

const tab = ([id, name]: (typeof tabs)[number], index: number) => {
  const [isSelected, order] = index === 0 ? ['true', '0'] : ['false', '-1']
  return html`<button type="button" role="tab" id="tab-${id}" aria-controls="panel" aria-selected="${isSelected}" tabindex="${order}">${name}</button>`
}

const answer = html`<section class="stage" aria-labelledby="question">
<div class="stage-head"><h2 id="question" tabindex="-1">Loading …</h2><p id="said" role="status"></p></div>
<div class="halves">
<div class="half">${recordBlock}<div id="picture"></div></div>
<div class="half">
<div class="tabs" role="tablist" aria-label="Answer and request">${tabs.map(tab)}</div>
<div id="panel" role="tabpanel" aria-labelledby="tab-table">
<div id="table-box" class="scroll sheet" tabindex="0" role="group" aria-label="Answer as a table"></div>
<div id="body" class="codebox" hidden><pre tabindex="0" aria-label="Body of the answer"></pre></div>
<div id="snippet" class="codebox" hidden><pre tabindex="0" aria-label="Request"><code id="code"></code></pre></div>
</div>
<p class="small"><a id="reference" href="/docs">Change this request in the reference</a></p>
</div></div>
<dl class="cells" id="figures" hidden></dl>
<p id="cache-words" class="small soft"></p>
<details id="headers" hidden><summary>Headers of the answer</summary><div class="scroll"><table><tbody></tbody></table></div></details>
</section>`

const live = html`<section class="plate card" id="live" aria-labelledby="live-title"><h2 id="live-title">Real time, seen</h2>
<p>Change an example record, and watch the change arrive on this page through <code>GET /v1/changes?wait=25</code>. The service undoes the change after a minute, and you see that, too. Both stay in the history of the record.</p>
<p class="row"><button type="button" class="main" id="change">Change a record</button><a id="live-history" hidden>See the record’s history</a></p>
<p id="live-said" role="status" class="soft small"></p>
<dl class="cells" id="live-figures" hidden><div><dt>Change stored after</dt><dd id="stored-ms">–</dd></div><div><dt>Event arrived after</dt><dd id="event-ms">–</dd></div></dl>
<ol id="events" aria-label="Changes that arrived"></ol></section>`

const saving = html`<section class="plate card" id="saving" aria-labelledby="saving-title"><h2 id="saving-title">What a 304 saves</h2>
<p>Ask for a page of up to 500 countries with authorities and requirements. Then ask again with the <code>ETag</code> of the answer: nothing changed, so nothing is sent, and the quota of the minute does not count it.</p>
<p class="row"><button type="button" id="twice">Ask twice</button><span id="saving-said" role="status" class="soft small"></span></p>
<div id="compare"></div></section>`

/** Returns `/demo`: questions in words. The browser fetches the answers and draws them. */
export const demoPage = (demoToken: string): PageContent => ({
  title: 'Demo',
  description:
    'Ask questions about an example company and see the answers as pictures, tables, JSON and code.',
  path: '/demo',
  isWide: true,
  styles: ['demo.css', 'answer.css', 'pictures.css', 'matrix.css', 'history.css', 'cards.css'],
  script: 'demo.js',
  main: html`<div class="demo-head"><h1>Ask your certifications</h1>
<p class="tag"><strong>Example data.</strong> The company is made up. The service is real.</p></div>
<noscript><p class="notice">The demo needs JavaScript. <a href="/docs/guides/quick-start">The quick start</a> works with curl alone.</p></noscript>
<nav aria-label="Questions"><ul class="questions">${questions.map(([href, text, hint]) => html`<li><a href="${href}"><strong>${text}</strong> <span>${hint}</span></a></li>`)}</ul></nav>
<div id="demo" data-token="${demoToken}">${answer}<div class="cards">${live}${saving}</div></div>`,
})
