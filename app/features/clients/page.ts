import { type Html, html } from '../../site/escape.ts'
import type { PageContent } from '../../site/layout.ts'
import { codeBlock, type RenderedMarkdown } from '../../site/markdown.ts'
import type { ClientPackage } from './packages.ts'

/** `packages`: `undefined` if they were not built. */
export type ClientsPageOptions = Readonly<{
  publicUrl: string
  packages: readonly ClientPackage[] | undefined
  readmes: Readonly<Record<ClientPackage['language'], RenderedMarkdown>>
}>

const languages: readonly (readonly [language: ClientPackage['language'], title: string])[] = [
  ['typescript', 'TypeScript and JavaScript'],
  ['python', 'Python'],
]

const kibibyte = 1024

const renderInstallation = (publicUrl: string, { file, language }: ClientPackage): Html =>
  language === 'typescript'
    ? codeBlock(`npm install ${publicUrl}/clients/${file}`, 'sh')
    : html`${codeBlock(`pip install ${publicUrl}/clients/${file}`, 'sh')}
<p>With the extra <code>signatures</code>, for clients that sign and for webhooks, it is:</p>
${codeBlock(`pip install 'certdata-client[signatures] @ ${publicUrl}/clients/${file}'`, 'sh')}`

const packageTable = ({ language, file, version, sizeBytes, sha256, integrity }: ClientPackage): Html =>
  html`<div class="scroll" tabindex="0" role="group" aria-label="${file}"><table>
<tbody><tr><th scope="row">File</th><td><a href="/clients/${file}" download>${file}</a>, ${Math.ceil(sizeBytes / kibibyte)} KiB</td></tr>
<tr><th scope="row">Version</th><td>${version}</td></tr>
<tr><th scope="row">SHA-256</th><td><code class="hash">${sha256}</code></td></tr>
${language === 'typescript' ? html`<tr><th scope="row"><code>integrity</code> of npm</th><td><code class="hash">${integrity}</code></td></tr>` : undefined}</tbody></table></div>`

const packageBlock = (each: ClientPackage | undefined, publicUrl: string): Html | undefined =>
  each && html`${renderInstallation(publicUrl, each)}${packageTable(each)}`

const notBuilt = html`<div class="notice"><p><strong>This service does not have the packages yet.</strong> Its operator builds them with <code>npm run build:clients</code>, and starts the service again.</p></div>`

const renderContents = ({ readmes }: ClientsPageOptions): Html =>
  html`<nav class="contents" aria-label="On this page"><h2>On this page</h2><ul>${languages.map(
    ([language, title]) =>
      html`<li><a href="#${language}">${title}</a><ul>${readmes[language].sections
        .filter(({ depth }) => depth === 3)
        .map(({ id, title: name }) => html`<li><a href="#${id}">${name}</a></li>`)}</ul></li>`,
  )}</ul></nav>`

/** Returns `/clients/`: both packages with their hashes, and both READMEs. */
export const clientsPage = (options: ClientsPageOptions): PageContent => {
  const { publicUrl, packages, readmes } = options
  return {
    title: 'Clients',
    description: 'The clients of the Certification Data API for TypeScript and Python.',
    path: '/clients/',
    isWide: true,
    styles: ['guide.css'],
    main: html`<div class="frame">${renderContents(options)}
<article class="guide"><h1>Clients</h1>
<p>A client logs in, follows pages, sends ETags and retries, so that your program does not have to. Its types name every field and every filter.</p>
<p><strong>Install it from this address only.</strong> No public registry has these packages. A package with the same name there is not ours, and it could read your API key.</p>
${packages ? undefined : notBuilt}
${languages.map(
  ([language, title]) => html`<h2 id="${language}"><a class="anchor" href="#${language}">${title}</a></h2>
${packageBlock(
  packages?.find((each) => each.language === language),
  publicUrl,
)}
${readmes[language].body}`,
)}
<h2 id="hashes"><a class="anchor" href="#hashes">Hashes</a></h2>
<p>The hashes on this page only show that a download is complete. If this service were changed by a stranger, its hashes would be changed, too. The changelog of the release has the same hashes: ask the certification house for it, and compare.</p>
<p>The packages of a version always have the same bytes. npm writes the hash into your lockfile and refuses other bytes later. With pip, append <code>#sha256=…</code> to the address.</p>
<h2 id="licence"><a class="anchor" href="#licence">Licence</a></h2>
<p>The clients are for customers of the certification house, under their contract. They have no open licence: the packages say <code>UNLICENSED</code>.</p>
</article></div>`,
  }
}
