/** Lets the arrow keys, Home and End go through the buttons of a list. */
export function moveFocus(event: KeyboardEvent): void {
  const list = event.currentTarget as HTMLElement
  const buttons = [...list.querySelectorAll('button')]
  const at = buttons.indexOf(document.activeElement as HTMLButtonElement)
  if (at < 0) return
  const next: Record<string, number> = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    Home: 0,
    End: buttons.length - 1,
  }
  const target = buttons[next[event.key] ?? -1]
  if (!target) return
  event.preventDefault()
  target.focus()
}
