/**
 * Tabs (ARIA's pattern): one is in the order of Tab, arrows lead to the others.
 * @param {ParentNode} root
 * @param {(name: string) => void} onSelect told the id of the tab without `tab-`
 */
export const startTabs = (root, onSelect) => {
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
  tabs.forEach((tab, index) => {
    tab.addEventListener('click', () => select(tab))
    tab.addEventListener('keydown', ({ key }) => {
      const step = key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0
      const other = tabs[(index + step + tabs.length) % tabs.length]
      if (step === 0 || !other) return
      select(other)
      other.focus()
    })
  })
}
