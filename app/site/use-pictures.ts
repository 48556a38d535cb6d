import { type Html, html } from './escape.ts'

/** Drawings for the six uses on the start page. Their colors are in `home.css`. */

const draw = (content: Html): Html => html`<svg viewBox="0 0 240 104" aria-hidden="true">${content}</svg>`

const rows = (x: number, ys: readonly number[], width: number): Html[] =>
  ys.map((y) => html`<rect x="${x}" y="${y}" width="${width}" height="10" rx="3"/>`)

const tick = (x: number, y: number): Html =>
  html`<circle class="good" cx="${x}" cy="${y}" r="11"/><path class="sign" d="M${x - 5} ${y}l4 4 7-8"/>`

export const usePictures = {
  check:
    draw(html`<path class="sheet" d="M34 40l32-14 32 14v36L66 90 34 76z"/><path class="line" d="M34 40l32 14 32-14M66 54v36"/>
<path class="line dash" d="M110 56h52"/><rect class="sheet" x="166" y="30" width="46" height="52" rx="6"/>${rows(175, [44, 58], 28)}${tick(208, 32)}`),
  ends: draw(
    html`${rows(28, [22], 170)}${rows(28, [42], 132)}<rect class="warn" x="28" y="62" width="74" height="10" rx="3"/><rect class="bad" x="28" y="82" width="46" height="10" rx="3"/><path class="now" d="M88 12v84"/>`,
  ),
  copy: draw(html`<rect class="sheet" x="24" y="18" width="72" height="68" rx="6"/><rect class="sheet" x="144" y="18" width="72" height="68" rx="6"/>${rows(36, [30, 47], 48)}${rows(156, [30, 47], 48)}
<rect class="accent" x="36" y="64" width="48" height="10" rx="3"/><rect class="accent" x="156" y="64" width="48" height="10" rx="3"/><path class="line" d="M106 52h28m-7-7 7 7-7 7"/>`),
  history:
    draw(html`<path class="line" d="M40 14v76"/><circle class="dot" cx="40" cy="24" r="6"/><circle class="dot" cx="40" cy="52" r="6"/><circle class="accent" cx="40" cy="80" r="7"/>
${rows(60, [19], 96)}${rows(60, [47], 130)}<rect class="bad" x="60" y="75" width="44" height="10" rx="3"/><path class="line" d="M112 80h12m-4-4 4 4-4 4"/><rect class="good" x="132" y="75" width="56" height="10" rx="3"/>`),
  webhook:
    draw(html`<circle class="accent" cx="62" cy="52" r="9"/><path class="line" d="M78 36a23 23 0 0 1 0 32M90 26a38 38 0 0 1 0 52"/><path class="line dash" d="M106 52h36"/>
<rect class="sheet" x="150" y="22" width="62" height="26" rx="5"/><rect class="sheet" x="150" y="56" width="62" height="26" rx="5"/>${rows(160, [30, 64], 30)}<circle class="good" cx="202" cy="35" r="4"/><circle class="good" cx="202" cy="69" r="4"/>`),
  audit:
    draw(html`<rect class="sheet" x="44" y="12" width="104" height="80" rx="6"/>${rows(58, [26, 44], 76)}<rect class="accent" x="58" y="62" width="52" height="10" rx="3"/>
<circle class="lens" cx="160" cy="58" r="24"/><path class="line thick" d="M178 76l18 16"/><path class="line" d="M150 58l7 7 13-14"/>`),
} as const
