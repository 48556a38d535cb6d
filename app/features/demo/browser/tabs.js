/**
 * Starts tabs (ARIA's tabs pattern). Returns a function that selects a tab. The name of a tab is its id without `tab-`.
 * @param {ParentNode} root
 * @param {(name: string) => void} onSelect
 * @param {(name: string) => void} [onChoice] called if the visitor selected the tab
 */
export const startTabs = (root, onSelect, onChoice = () => {}) => {
  const tabs = [...root.querySelectorAll('[role=tab]')].map((tab) => /** @type {HTMLElement} */ (tab))
  const select = (/** @type {HTMLElement} */ chosen) => {
    for (const tab of tabs) {
      tab.setAttribute('aria-selected', String(tab === chosen))
      tab.tabIndex = tab === chosen ? 0 : -1
    }
    const panel = document.getElementById(chosen.getAttribute('aria-controls') ?? '')
    panel?.setAttribute('aria-labelledby', chosen.id)
    onSelect(chosen.id.replace('tab-', ''))
  }
  const choose = (/** @type {HTMLElement} */ tab) => {
    select(tab)
    onChoice(tab.id.replace('tab-', ''))
  }
  for (const tab of tabs) {
    tab.addEventListener('click', () => choose(tab))
    tab.addEventListener('keydown', ({ key }) => {
      const step = key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0
      const shown = tabs.filter((each) => !each.hidden)
      const other = shown[(shown.indexOf(tab) + step + shown.length) % shown.length]
      if (step === 0 || !other) return
      choose(other)
      other.focus()
    })
  }
  return (/** @type {string} */ name) => {
    const tab = tabs.find(({ id }) => id === `tab-${name}`)
    if (tab) select(tab)
  }
}
