import type { ScannerRecipe } from './scanner.ts'
import { WorkerLane } from './worker-lane.ts'

/** Starting a thread takes as long as many a search, so that workers wait this long for another. */
const IDLE_MILLISECONDS = 5000

interface Idle {
  lane: WorkerLane
  module: WebAssembly.Module | undefined
  end: NodeJS.Timeout
}

const idle = new Set<Idle>()

/** Workers with a scanner each: waiting ones, and new ones for the rest. */
export function hire(count: number, recipe: ScannerRecipe): WorkerLane[] {
  const lanes: WorkerLane[] = []
  for (const waiting of idle) {
    if (lanes.length === count) break
    if (waiting.module !== recipe.module) continue
    clearTimeout(waiting.end)
    idle.delete(waiting)
    if (waiting.lane.wake()) lanes.push(waiting.lane)
  }
  while (lanes.length < count) lanes.push(new WorkerLane(recipe))
  return lanes
}

/** Lets workers that have answered everything wait, without keeping the process alive. */
export function release(lanes: WorkerLane[], { module }: ScannerRecipe): void {
  for (const lane of lanes) {
    const end = setTimeout(() => {
      idle.delete(waiting)
      lane.close()
    }, IDLE_MILLISECONDS).unref()
    const waiting: Idle = { lane, module, end }
    lane.rest()
    idle.add(waiting)
  }
}
