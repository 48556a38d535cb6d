import { find } from '../../../site/browser/ui.js'

const refreshMs = 10_000

const refresh = async () => {
  try {
    const answer = await fetch(location.href, { cache: 'no-cache' })
    if (!answer.ok) throw new Error(`status ${answer.status}`)
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
    for (const part of document.querySelectorAll('[data-live]')) {
      const { innerHTML } = find(`#${part.id}`, HTMLElement, page)
      // A screen reader reads the headline out at each replacement, even by the same text.
      if (part.innerHTML !== innerHTML) part.innerHTML = innerHTML
    }
  } catch {
    find('#fresh', HTMLElement).textContent =
      'The figures could not be loaded. The page tries again in ten seconds.'
  }
  setTimeout(refresh, refreshMs)
}
setTimeout(refresh, refreshMs)
