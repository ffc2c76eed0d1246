import { throwIfAborted } from '@kith/core/internal'

/** The progress of a job. */
export interface JobProgress {
  /** The current stage, such as `reranking`. */
  stage: string
  done: number
  total: number
  /** A few words about the latest step, such as a training's loss. */
  note?: string | undefined
}

/** The callbacks and the abort signal that every job accepts besides its inputs. */
export interface Hooks {
  /**
   * Called with each progress. The first `done` of a stage is the work of earlier calls, 0 if there
   * was none. A stage is over when `done` equals `total`, or when the job ends.
   */
  onProgress?: ((progress: JobProgress) => void) | undefined
  /** Called with remarks, such as the number of queries that were left out. */
  onRemark?: ((remark: string) => void) | undefined
  /** Called with warnings that a result may mislead; default: `onRemark`. */
  onWarning?: ((warning: string) => void) | undefined
  /**
   * Aborts the job: it saves its unfinished work so that a later call can resume, and throws a
   * `KithError` with the code `ABORTED`, whose cause is the signal's reason.
   */
  signal?: AbortSignal | undefined
}

/**
 * Reports the progress of one stage; throws ABORTED once the signal is aborted.
 *
 * @param before The part of `total` that an earlier call has finished.
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
