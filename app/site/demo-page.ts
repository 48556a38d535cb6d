import { html } from './escape.ts'
import type { PageContent } from './layout.ts'

/** `/demo`: the frame; endpoints and controls come from the OpenAPI document that the demo token sees. */
export const demoPage = (demoToken: string): PageContent => ({
  title: 'Demo',
  description: 'Send requests with the demo token and look at the answers. The demo has example data only.',
  path: '/demo',
  isWide: true,
  styles: ['demo.css'],
  script: 'demo.js',
  main: html`<div class="demo-head"><h1>Demo</h1>
<p class="tag"><strong>Example data only.</strong> Companies, products and certificates are made up.</p></div>
<noscript><p class="notice">The demo needs JavaScript. <a href="/">The quick start</a> works with curl alone.</p></noscript>
<div class="demo" id="demo" data-token="${demoToken}">
<form id="request" class="plate" autocomplete="off" aria-label="Request">
<div class="block"><label for="endpoint">Endpoint</label><select id="endpoint"><option>Loading …</option></select><p id="summary" class="soft small"></p>
<div id="id-block" hidden><label for="record-id">Record id</label><input id="record-id" list="record-ids" spellcheck="false" maxlength="64"><datalist id="record-ids"></datalist></div></div>
<fieldset class="block" id="filter-block"><legend>Filters</legend><div id="filters"></div><button type="button" class="quiet" id="add-filter">Add a filter</button></fieldset>
<fieldset class="block" id="control-block"><legend>Page and shape</legend><div id="controls"></div></fieldset>
<div class="block row"><button type="submit" class="main" id="send">Send</button><button type="button" id="mistake">Make a mistake</button></div>
</form>
<div class="result">
<section aria-labelledby="sent"><h2 id="sent">Request</h2>
<div class="tabs" role="tablist" aria-label="Language"><button type="button" role="tab" id="tab-curl" aria-controls="snippet" aria-selected="true">curl</button><button type="button" role="tab" id="tab-javascript" aria-controls="snippet" aria-selected="false" tabindex="-1">JavaScript</button><button type="button" role="tab" id="tab-python" aria-controls="snippet" aria-selected="false" tabindex="-1">Python</button></div>
<div id="snippet" class="codebox" role="tabpanel" aria-labelledby="tab-curl"><pre tabindex="0"><code id="code"></code></pre></div></section>
<section aria-labelledby="answer-title"><h2 id="answer-title" tabindex="-1">Answer</h2>
<p id="said" role="status">Nothing sent yet.</p>
<div id="answer" hidden>
<dl class="cells" id="figures"></dl>
<p id="cache-words" class="small soft"></p>
<div id="compare"></div>
<div id="faults"></div>
<div class="row" id="follow"><button type="button" id="again">Send again with the ETag</button><button type="button" id="next">Next page</button><button type="button" id="first">First page</button></div>
<details id="headers"><summary>Headers of the answer</summary><div class="scroll"><table><tbody></tbody></table></div></details>
<div class="codebox" id="body"><pre tabindex="0" aria-label="Body of the answer"></pre></div>
</div></section></div></div>`,
})
