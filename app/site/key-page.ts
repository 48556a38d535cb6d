import type { House } from '../config/house.ts'
import { html } from './escape.ts'
import type { PageContent } from './layout.ts'

/** Returns `/key`, where a customer collects an API key. The link's secret is in the fragment, see `key.js`. */
export const keyPage = (publicUrl: string, house: Pick<House, 'name'>): PageContent => ({
  title: 'Your API key',
  description: 'Collect your API key. It is shown once.',
  path: '/key',
  styles: ['key.css'],
  script: 'key.js',
  main: html`<h1>Your API key</h1>
<p class="lead">From ${house.name ?? 'the certification house that keeps your records'}.</p>
<div id="outcome" tabindex="-1"></div>
<noscript><p class="notice bad">This page needs JavaScript, because your browser does not send the secret part of the link to any server until you click.</p></noscript>
<section id="offer" class="plate">
<p>Your key is made now and shown <strong>once</strong>. After that, this link no longer works.</p>
<p class="soft">Have a safe place ready, such as a password manager.</p>
<button type="button" class="main" id="show">Show the key</button>
</section>
<section id="shown" tabindex="-1" hidden>
<p>Copy the key to a safe place now. It cannot be shown again.</p>
<div class="codebox key" data-copy><pre tabindex="0" aria-label="API key"></pre></div>
<dl class="cells"></dl>
<p id="rotation" class="notice" hidden>This key replaces the key <code></code>. <span></span></p>
<h2>Next steps</h2>
<ol>
<li><p>Log in. The answer has a token for one hour.</p>
<div class="codebox" data-copy><pre tabindex="0">curl ${publicUrl}/v1/auth/login -H 'Content-Type: application/json' -d '{"api_key": "<span data-key>cda_live_…</span>"}'</pre></div></li>
<li><p>Send the token. The answer names your plan and the key's scopes.</p>
<div class="codebox" data-copy><pre tabindex="0">curl ${publicUrl}/v1/me -H 'Authorization: Bearer eyJ…'</pre></div></li>
<li><p>Go on with the <a href="/docs/guides/quick-start">quick start</a> or the <a href="/docs">reference</a>.</p></li>
</ol>
</section>`,
})
