import { throwIfAborted } from '@kith/core/internal'

/** How far a job is. */
export interface JobProgress {
  /** The step under way, such as `reranking`. */
  stage: string
  done: number
  total: number
  /** A few words about the latest step, such as a training's loss. */
  note?: string | undefined
}

/** The callbacks and the abort signal that every job takes besides its inputs. */
export interface Hooks {
  /**
   * Called with each progress. The first `done` of a stage is the work of earlier calls, 0 if there
   * was none; a stage is over when `done` is `total`, or when the job ends.
   */
  onProgress?: ((progress: JobProgress) => void) | undefined
  /** Called with remarks, such as the counts of queries that were left out. */
  onRemark?: ((remark: string) => void) | undefined
  /** Called with warnings that a result may mislead; default `onRemark`. */
  onWarning?: ((warning: string) => void) | undefined
  /**
   * Once the signal is aborted, the job saves its unfinished work where a later call can continue
   * it, and throws a `KithError` with the code `ABORTED`, whose cause is the signal's reason.
   */
  signal?: AbortSignal | undefined
}

/**
 * Tells the progress of one stage; throws ABORTED once the signal is aborted.
 *
 * @param before How much of `total` an earlier call has done.
 */
export function stageOf(
  { onProgress, signal }: Hooks,
  stage: string,
  total: number,
  before = 0,
): (done: number, note?: string) => void {
  throwIfAborted(signal)
  onProgress?.({ stage, done: before, total })
  return (done, note) => {
    throwIfAborted(signal)
    onProgress?.({ stage, done, total, note })
  }
}
