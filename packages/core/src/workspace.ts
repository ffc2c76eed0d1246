import type { Engine, KernelName } from './kernel/engine.ts'
import { createEngine, kernel } from './kernel/load.ts'
import { Postings } from './text/postings.ts'

/** A memory that one huge context has grown beyond this is not kept for the next. */
const KEPT_BYTES = 256 * 2 ** 20

/** The memory of one call: an engine for each kernel, and room for the postings of its texts and of the chosen texts. */
export class Workspace {
  readonly postings = new Postings()
  readonly chosen = new Postings()
  readonly #engines = new Map<KernelName, Engine>()

  /** The engine of a kernel, by default the fastest one. */
  engine(name: KernelName = kernel()): Engine {
    let engine = this.#engines.get(name)
    if (!engine) {
      engine = createEngine(name)
      this.#engines.set(name, engine)
    }
    return engine
  }

  /** Ends a call: releases what its engines hold. */
  release(): void {
    for (const [name, engine] of this.#engines) {
      if (engine.bytes > KEPT_BYTES) this.#engines.delete(name)
      else engine.release()
    }
  }
}

/**
 * Lends a workspace to one call at a time, the same one from call to call.
 *
 * A getter, a Proxy or a `valueOf` among a call's inputs can call again before the first call is
 * over. The workspace is then in use, and the inner call gets another workspace: no call ever
 * computes in the memory of another.
 */
export class WorkspacePool {
  #idle: Workspace | undefined

  use<T>(work: (workspace: Workspace) => T): T {
    const workspace = this.#idle ?? new Workspace()
    this.#idle = undefined
    try {
      return work(workspace)
    } finally {
      workspace.release()
      this.#idle = workspace
    }
  }
}
