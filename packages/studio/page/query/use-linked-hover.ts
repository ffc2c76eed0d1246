import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

/**
 * Everything that belongs to the document under the pointer or the focus gets the class `active`.
 * Done past the virtual document: with a thousand rows, drawing all of them anew for each move
 * of the pointer would be seen.
 */
export function useLinkedHover(): RefObject<HTMLElement | null> {
  const root = useRef<HTMLElement>(null)
  useEffect(() => {
    const element = root.current!
    let active: string | undefined
    const show = (event: Event): void => {
      const target = event.target instanceof Element ? event.target : undefined
      const owner = target?.closest('[data-document]')
      const next = owner?.getAttribute('data-document') ?? undefined
      if (next === active) return
      for (const part of element.querySelectorAll('.active')) part.classList.remove('active')
      active = next
      if (next === undefined) return
      for (const part of element.querySelectorAll(`[data-document="${next}"]`)) {
        part.classList.add('active')
      }
    }
    const events = ['pointerover', 'pointerleave', 'focusin', 'focusout']
    for (const name of events) element.addEventListener(name, show)
    return () => {
      for (const name of events) element.removeEventListener(name, show)
    }
  }, [])
  return root
}
