import { html } from '../../site/escape.ts'
import type { PageContent } from '../../site/layout.ts'
import { marketRules } from './market-picture.ts'

const questions = [
  ['#expiring', 'What expires in the next 90 days?', 'A timeline'],
  ['#markets', 'Where may this product be sold today, and why not?', 'Products and countries'],
  ['#approvals', 'How far along are my approvals?', 'Approvals by stage'],
  ['#changes', 'What changed in the last four weeks?', 'Steps by day'],
  ['#history', 'What happened to a record?', 'Its history'],
  ['/docs', 'Write your own question', 'In the reference'],
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
)}</select><p class="hint">The example came with four weeks of history. Later entries have the time of their write.</p></div>`

const tab = ([id, name]: (typeof tabs)[number], index: number) => {
  const [isSelected, order] = index === 0 ? ['true', '0'] : ['false', '-1']
  return html`<button type="button" role="tab" id="tab-${id}" aria-controls="panel" aria-selected="${isSelected}" tabindex="${order}">${name}</button>`
}

const live = html`<div class="live" id="live"><button type="button" class="main" id="change">Change a record</button>
<p id="live-said" role="status">Watch the change arrive in the picture. The service undoes it after a minute.</p></div>`

const saving = html`<section id="saving" aria-labelledby="saving-title"><h3 id="saving-title">What a 304 saves</h3>
<p>Ask for a page of up to 500 countries with authorities and requirements. Then ask again with the <code>ETag</code> of the answer: nothing changed, so nothing is sent, and the quota of the minute does not count it.</p>
<p class="row"><button type="button" id="twice">Ask twice</button><span id="saving-said" role="status" class="soft small"></span></p>
<div id="compare"></div></section>`

const developers = html`<details id="developers"><summary>For developers</summary>
<dl class="cells" id="figures"></dl>
<p id="cache-words" class="small soft"></p>
<p class="small"><a id="reference" href="/docs">Change this request in the reference</a></p>
<h3 id="headers-title">Headers of the answer</h3><div id="headers" class="scroll"><table aria-labelledby="headers-title"><tbody></tbody></table></div>
${saving}</details>`

const answer = html`<section class="stage" aria-labelledby="question">
<div class="stage-head"><h2 id="question" tabindex="-1">Loading …</h2><p id="said" role="status"></p></div>
${live}
${recordBlock}<div id="picture"></div><div id="why" role="status"></div>
<div class="answer-head"><div class="tabs" role="tablist" aria-label="Answer and request">${tabs.map(tab)}</div>
<button type="button" class="quiet" id="excel" hidden>Download as Excel</button></div>
<div id="panel" role="tabpanel" aria-labelledby="tab-table">
<div id="table-box" class="scroll sheet" tabindex="0" role="group" aria-label="Answer as a table"></div>
<p id="rows-shown" class="soft small" hidden></p>
<div id="body" class="codebox" hidden><pre tabindex="0" aria-label="Body of the answer"></pre></div>
<div id="snippet" class="codebox" hidden><pre tabindex="0" aria-label="Request"><code id="code"></code></pre></div>
</div>
${developers}
</section>`

/** Returns `/demo`. The browser fetches the answers to the questions and draws them. */
export const demoPage = (demoToken: string): PageContent => ({
  title: 'Demo',
  description:
    'Ask questions about an example company and see the answers as pictures, tables, JSON and code.',
  path: '/demo',
  isWide: true,
  styles: ['demo.css', 'answer.css', 'pictures.css', 'matrix.css', 'history.css'],
  script: 'demo.js',
  main: html`<div class="demo-head"><h1>Ask your certifications</h1>
<p class="tag"><strong>Example data.</strong> The company is made up. The service is real.</p></div>
<noscript><p class="notice">The demo needs JavaScript. <a href="/docs/guides/quick-start">The quick start</a> works with curl alone.</p></noscript>
<nav aria-label="Questions"><ul class="questions">${questions.map(([href, text, hint]) => html`<li><a href="${href}"><strong>${text}</strong> <span>${hint}</span></a></li>`)}</ul></nav>
<div id="demo" data-token="${demoToken}" data-market="${JSON.stringify(marketRules)}">${answer}</div>`,
})
