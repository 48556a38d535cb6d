import { toEntities } from '../lib/html.ts'
import { type Frame, getRoom } from './tree.ts'

/** Narrower frames are left out: they are unreadable, and the file stays small. */
const leastShare = 0.002
const rowPx = 18

const css = `.flame{position:relative;font:11px/17px ui-monospace,monospace;overflow:hidden}
.flame i{position:absolute;height:17px;overflow:hidden;white-space:nowrap;font-style:normal;padding-left:3px;box-sizing:border-box;
border-right:1px solid Canvas;border-bottom:1px solid Canvas;cursor:pointer;color:#111;border-radius:2px}
.flame i.dim{opacity:.25}.flame .ours{background:#f2a541}.flame .package{background:#8fb8de}.flame .node{background:#9fc59a}.flame .engine{background:#c9c3b6}
#said{min-height:1.5em;font-family:ui-monospace,monospace;font-size:13px}.key span{padding:0 .5em;border-radius:2px;color:#111;margin-right:.5em}
.key .ours{background:#f2a541}.key .package{background:#8fb8de}.key .node{background:#9fc59a}.key .engine{background:#c9c3b6}input{font:inherit}`

/** A click widens a frame to the page. Typing fades the other frames. The page is readable without scripts. */
const script = `const box=document.querySelector('.flame'),all=[...box.children],said=document.getElementById('said')
for(const e of all){e.x=parseFloat(e.style.left);e.w=parseFloat(e.style.width)}
const show=(x,w)=>{for(const e of all){const inside=e.x<x+w-1e-6&&e.x+e.w>x+1e-6;const l=Math.max(e.x,x),r=Math.min(e.x+e.w,x+w)
e.hidden=!inside;e.style.left=(l-x)/w*100+'%';e.style.width=Math.max(0,(r-l)/w*100)+'%'}}
box.onclick=({target:e})=>{if(e!==box)show(e.x,e.w)}
box.onmouseover=({target:e})=>{if(e!==box)said.textContent=e.title}
document.getElementById('find').oninput=({target:{value}})=>{for(const e of all)e.classList.toggle('dim',value!==''&&!e.title.includes(value))}`

const getKind = ({ place, name }: Frame): string => {
  const room = getRoom(place.replace(/:\d+$/, ''), name)
  if (place === '') return 'engine'
  if (place.startsWith('node:')) return 'node'
  return /^(app|plugins|routes|schemas)(\/|$)/.test(room) ? 'ours' : 'package'
}

/** Callers are above their callees. Width is time. */
export const drawFlame = (tree: Frame): { html: string; css: string } => {
  const boxes: string[] = []
  let depth = 0
  const draw = (frame: Frame, left: number, row: number) => {
    const share = frame.total / tree.total
    if (share < leastShare) return
    depth = Math.max(depth, row + 1)
    const own = ((100 * frame.self) / tree.total).toFixed(1)
    const title = `${frame.name} ${frame.place} · ${(100 * share).toFixed(1)} %, itself ${own} %`
    const style = `left:${(100 * left).toFixed(3)}%;width:${(100 * share).toFixed(3)}%;top:${row * rowPx}px`
    boxes.push(
      `<i class="${getKind(frame)}" style="${style}" title="${toEntities(title)}">${toEntities(frame.name)}</i>`,
    )
    let at = left
    for (const child of frame.children) {
      draw(child, at, row + 1)
      at += child.total / tree.total
    }
  }
  draw(tree, 0, 0)
  const key = `<p class="key"><span class="ours">the service</span><span class="package">packages</span><span class="node">Node</span><span class="engine">engine, system</span> <label>find <input id="find"></label> click: wider; the top bar: back</p>`
  const flame = `<div class="flame" style="height:${depth * rowPx}px">${boxes.join('\n')}</div>`
  return { html: `${key}<p id="said"></p>${flame}<script>${script}</script>`, css }
}
