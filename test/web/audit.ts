import type { Page } from 'playwright-core'

/**
 * Texts whose colour differs too little from what is behind them, by the rule of WCAG AA: 4.5 to 1, or 3 to 1 where they are
 * large. Evaluated in the page, so it is written as one expression.
 */
const faintTexts = `(() => {
  const parts = (colour) => {
    const numbers = colour.match(/[\\d.]+/g).map(Number)
    const scale = colour.startsWith('color(') ? 255 : 1
    const [red, green, blue] = numbers.map((each) => each * scale)
    return [red, green, blue, numbers[3] ?? 1]
  }
  const over = (front, back) => back.map((each, at) => front[at] * front[3] + each * (1 - front[3]))
  const behind = (element) => {
    const layers = []
    for (let each = element; each; each = each.parentElement) {
      const layer = parts(getComputedStyle(each).backgroundColor)
      layers.push(layer)
      if (layer[3] === 1) break
    }
    return layers.reverse().reduce((back, layer) => over(layer, back), [255, 255, 255])
  }
  const light = (colour) => {
    const [red, green, blue] = colour.map((each) => {
      const share = each / 255
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }
  const faint = new Set()
  const check = (element, style, text) => {
    const back = behind(element)
    const [a, b] = [light(over(parts(style.color), back)), light(back)].sort((x, y) => y - x)
    const ratio = (a + 0.05) / (b + 0.05)
    const size = Number.parseFloat(style.fontSize)
    const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700)
    if (ratio < (isLarge ? 3 : 4.5)) faint.add(ratio.toFixed(2) + ' ' + text.trim().slice(0, 40))
  }
  for (const element of document.querySelectorAll('body *')) {
    if (!element.checkVisibility({ visibilityProperty: true }) || element.matches(':disabled')) continue
    const style = getComputedStyle(element)
    const text = [...element.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data).join('')
    if (text.trim() !== '') check(element, style, text)
    if (element.placeholder) check(element, getComputedStyle(element, '::placeholder'), element.placeholder)
  }
  return [...faint]
})()`

export const faint = (page: Page): Promise<string[]> => page.evaluate<string[]>(faintTexts)

const named = new Set(
  'button link textbox searchbox combobox checkbox spinbutton dialog img navigation region'.split(
    ' ',
  ),
)

/** What a screen reader could only call by its kind. */
export async function nameless(page: Page): Promise<string[]> {
  const cdp = await page.context().newCDPSession(page)
  const { nodes } = await cdp.send('Accessibility.getFullAXTree')
  await cdp.detach()
  return nodes
    .filter(({ ignored, role }) => !ignored && named.has(String(role?.value)))
    .filter(({ name }) => String(name?.value ?? '').trim() === '')
    .map(({ role }) => String(role?.value))
}

/**
 * What can be used but is not reached by keys, or does not show that it is. The Tab key reaches one control of a list, and arrow
 * keys the others. Where the link of a row has the focus, the row shows it. Behind a dialog nothing can be used.
 */
const reach = `(() => {
  const within = document.querySelector('dialog[open]') ?? document
  const all = [...within.querySelectorAll('a[href], button, input, select, textarea, summary')]
    .filter((element) => element.checkVisibility({ visibilityProperty: true }) && !element.disabled)
  const isRinged = (element) => {
    const { outlineStyle, outlineWidth } = getComputedStyle(element)
    return outlineStyle !== 'none' && outlineWidth !== '0px'
  }
  const isInList = (element) => {
    const list = element.closest('[data-row]')?.closest('[data-arrows]')
    return list ? list.querySelector('[tabindex="0"]') !== null : false
  }
  return all.map((element) => {
    const isReached = element.tabIndex >= 0 || isInList(element)
    document.activeElement?.blur()
    element.focus({ focusVisible: true })
    const row = element.matches('.row-link') ? element.closest('tr') : null
    const isSeen = document.activeElement === element && (isRinged(element) || (row !== null && isRinged(row)))
    return isReached && isSeen ? '' : element.outerHTML.slice(0, 80)
  }).filter((text) => text !== '')
})()`

export const unreached = (page: Page): Promise<string[]> => page.evaluate<string[]>(reach)
