import { html } from '../../site/escape.ts'
import type { PageContent } from '../../site/layout.ts'

/** `/account`, where a customer pastes an API key. `account.js` shows the form and fills in the rest. */
export const accountPage: PageContent = {
  title: 'Your account',
  description: 'See when your API keys end, how much you use, and whether your webhooks arrive.',
  path: '/account',
  styles: ['chart.css', 'account.css'],
  script: 'account.js',
  isWide: true,
  main: html`<h1>Your account</h1>
<p class="lead">See when your API keys end, how much you use, and whether your webhooks arrive.</p>
<div id="outcome" tabindex="-1"></div>
<noscript><p class="notice bad">This page needs JavaScript. It keeps your key out of the address, of cookies and of any storage. The same data are at <a href="/docs/guides/account"><code>/v1/me/keys</code> and <code>/v1/me/usage</code></a>.</p></noscript>
<form id="enter" class="plate" hidden>
<label for="key">API key</label>
<p class="hint" id="key-hint">This page exchanges the key for a token. It stores neither, and forgets the token after 15 minutes without use and when you close the page.</p>
<input id="key" type="password" autocomplete="off" spellcheck="false" required aria-describedby="key-hint">
<button type="submit" class="main">Show the account</button>
</form>
<div id="account" tabindex="-1" hidden></div>`,
}
