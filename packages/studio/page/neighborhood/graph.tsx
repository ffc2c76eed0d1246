import type { VNode } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { drawFocus, drawGraph, readColors, rowAt, type Scene } from './draw.ts'

/** The contents of the graph, before its size is known. */
export interface GraphProps extends Omit<Scene, 'places' | 'width' | 'height' | 'em'> {
  /** From −1 to 1 in both directions. */
  projection: Float32Array
  probe: number
  looked: number | undefined
  onLook: (row: number | undefined) => void
  onProbe: (row: number) => void
}

/** The context as a picture on two canvases: one for what stays, one for what follows the pointer. */
export function Graph(props: GraphProps): VNode {
  const { probe, looked, onLook, onProbe, ranks, labels } = props
  const frame = useRef<HTMLButtonElement>(null)
  const under = useRef<HTMLCanvasElement>(null)
  const over = useRef<HTMLCanvasElement>(null)
  const size = useSize(frame)
  const [theme, setTheme] = useState(0)
  const scene = useMemo(
    () => sceneOf(props, size),
    [props.projection, props.neighborhood, ranks, props.relevant, labels, size],
  )
  const colors = useMemo(readColors, [theme])
  useEffect(() => {
    const changed = (): void => setTheme((before) => before + 1)
    const system = matchMedia('(prefers-color-scheme: dark)')
    addEventListener('theme', changed)
    system.addEventListener('change', changed)
    return () => {
      removeEventListener('theme', changed)
      system.removeEventListener('change', changed)
    }
  }, [])
  useEffect(() => drawGraph(prepared(under.current!, scene), scene, colors), [scene, colors])
  useEffect(
    () => drawFocus(prepared(over.current!, scene), scene, colors, { probe, looked }),
    [scene, colors, probe, looked],
  )
  const step = (by: number): void => {
    const order = [...ranks.keys()].sort((a, b) => ranks[a]! - ranks[b]!)
    const at = order.indexOf(looked ?? probe)
    onLook(order[(at + by + order.length) % order.length])
  }
  const keys: Record<string, () => void> = {
    ArrowRight: () => step(1),
    ArrowDown: () => step(1),
    ArrowLeft: () => step(-1),
    ArrowUp: () => step(-1),
    Escape: () => {
      onLook(undefined)
      onProbe(0)
    },
  }
  const find = (event: MouseEvent): number | undefined => rowAt(scene, event.offsetX, event.offsetY)
  return (
    <button
      type="button"
      ref={frame}
      class="graph"
      aria-label={`The neighborhood of ${labels[looked ?? probe]}. Arrow keys move between documents by rank, Enter selects a document, Escape goes back to the query.`}
      onPointerMove={(event) => {
        const row = find(event)
        if (row !== looked) onLook(row)
      }}
      onPointerLeave={() => onLook(undefined)}
      onClick={(event) => {
        // A click without a place comes from the keyboard.
        const row = event.detail === 0 ? looked : find(event)
        if (row !== undefined) onProbe(row)
      }}
      onKeyDown={(event) => {
        const act = keys[event.key]
        if (!act) return
        event.preventDefault()
        act()
      }}
      onBlur={() => onLook(undefined)}
    >
      <canvas ref={under} />
      <canvas ref={over} />
    </button>
  )
}

/** The places in pixels, with room at the edges for discs and names. */
function sceneOf(props: GraphProps, size: { width: number; height: number }): Scene {
  const em = Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
  const edge = 1.75 * em
  const { width, height } = size
  const places = props.projection.map((value, i) => {
    const length = i % 2 === 0 ? width : height
    return edge + ((i % 2 === 0 ? value + 1 : 1 - value) / 2) * (length - 2 * edge)
  })
  return { ...props, places, width, height, em }
}

/** A canvas of the right size, whose unit is a pixel of the page. */
function prepared(canvas: HTMLCanvasElement, { width, height }: Scene): CanvasRenderingContext2D {
  const sharp = devicePixelRatio
  const [wide, high] = [Math.round(width * sharp), Math.round(height * sharp)]
  if (canvas.width !== wide || canvas.height !== high) {
    canvas.width = wide
    canvas.height = high
  }
  const ctx = canvas.getContext('2d')!
  ctx.setTransform(sharp, 0, 0, sharp, 0, 0)
  return ctx
}

function useSize(frame: { current: HTMLElement | null }): { width: number; height: number } {
  const [size, setSize] = useState({ width: 300, height: 300 })
  useEffect(() => {
    const element = frame.current!
    const observer = new ResizeObserver(() =>
      setSize({ width: element.clientWidth, height: element.clientHeight }),
    )
    observer.observe(element)
    return () => observer.disconnect()
  }, [frame])
  return size
}
