import { FileError, type FileLock } from '@kith/base'
import { KithError } from '@kith/core'
import type { Examples } from '../data/examples.ts'
import type { DocumentVectors, TrainingQuery } from '../data/training-query.ts'
import { lossNamed } from '../losses.ts'
import type { QueryEncoder } from '../models/query-encoder.ts'
import type { QueryModel } from '../models/query-model.ts'
import { clipFactor, type Optimizer } from '../optimizer/optimizer.ts'
import type { Schedule } from '../optimizer/schedule.ts'
import type { TrainSettings } from '../settings.ts'
import {
  type CheckpointName,
  checkpointFile,
  type Progress,
  readCheckpoint,
  readProgress,
  writeCheckpoint,
} from './checkpoint.ts'
import { scoresOf, sharperThan } from './flat-softmax.ts'
import type { Identity } from './identity.ts'
import { MetricsFile, type StepRecord, type ValidationRecord } from './metrics.ts'
import type { TrainingStep } from './training-step.ts'
import { criterion, validate } from './validate.ts'

/** Callbacks for the steps of a training, and a signal that stops it. */
export interface TrainingHooks {
  /** Called before the first step with the number of steps that earlier calls have finished. */
  onStart?: ((steps: number) => void) | undefined
  onStep?: ((record: StepRecord) => void) | undefined
  onValidation?: ((record: ValidationRecord) => void) | undefined
  /** Called with a sentence if a setting prevents the training from learning. */
  onRemark?: ((remark: string) => void) | undefined
  /**
   * Stops after the current step, with a checkpoint to resume from. While the frozen layers are
   * being computed, `ABORTED` is thrown; the finished part of the computation is kept.
   */
  signal?: AbortSignal | undefined
}

/** The inputs of a training run. */
interface Parts extends TrainingHooks {
  model: QueryModel
  documents: DocumentVectors
  examples: Examples
  validation?: readonly TrainingQuery[] | undefined
  settings: TrainSettings
  /** The identity that this training must share with a checkpoint. */
  identity: Identity
  out: string
  /** The lock on `out`: checked before a checkpoint or the result is written. */
  lock: FileLock
  step: TrainingStep
  encoder: QueryEncoder
  optimizer: Optimizer
  schedule: Schedule
}

/** How a training ended. */
export interface TrainingResult {
  /** Number of finished steps. */
  steps: number
  ended: 'done' | 'early' | 'stopped'
  /** The step whose weights are the result, and its value by the criterion (the loss negated). */
  best: { step: number; value: number } | null
}

/**
 * Runs the training loop: batches, steps, validations and checkpoints, from the start or from a
 * checkpoint.
 */
export class TrainingRun {
  readonly #parts: Parts
  #progress: Progress
  #metrics: MetricsFile | undefined

  constructor(parts: Parts) {
    this.#parts = parts
    const { schedule, identity } = parts
    this.#progress = { step: 0, schedule: schedule.state, best: null, sinceBest: 0, identity }
  }

  async run(resume: boolean): Promise<TrainingResult> {
    const { settings, signal, out } = this.#parts
    if (resume) {
      this.#progress = await this.#resume('latest')
      await this.#completeBest()
    }
    this.#metrics = await MetricsFile.open(out, resume ? this.#progress.step : undefined)
    if (!resume) {
      await this.#parts.examples.begin()
      await this.#remarkFlatSoftmax()
      await this.#validate()
    }
    this.#parts.onStart?.(this.#progress.step)
    let ended: TrainingResult['ended'] = 'done'
    while (this.#progress.step < settings.steps) {
      if (signal?.aborted) {
        ended = 'stopped'
        break
      }
      if (this.#stopsEarly()) {
        ended = 'early'
        break
      }
      await this.#step()
      const { step } = this.#progress
      if (step % settings.validateEvery === 0 || step === settings.steps) await this.#validate()
    }
    if (ended === 'stopped') await this.#save('latest')
    else await this.#finish()
    return { steps: this.#progress.step, ended, best: this.#progress.best }
  }

  async #step(): Promise<void> {
    const { settings, optimizer, schedule, step, examples, model, documents, onStep } = this.#parts
    const start = performance.now()
    const number = this.#progress.step + 1
    if (settings.refreshEvery > 0 && number > 1 && (number - 1) % settings.refreshEvery === 0) {
      await examples.refresh()
    }
    let [sum, labelTime] = [0, 0]
    const queriesOfStep = settings.batchSize * settings.gradientAccumulation
    for (let part = 0; part < settings.gradientAccumulation; part++) {
      const batch = (number - 1) * settings.gradientAccumulation + part
      const { queries, lists, milliseconds } = await examples.at(batch)
      labelTime += milliseconds
      const at = { number: batch, queriesOfStep, first: part === 0 }
      sum += await step.run(await model.prepare(queries), lists, documents, at)
    }
    const loss = sum / queriesOfStep
    const norm = step.gradients.norm()
    if (!Number.isFinite(loss) || !Number.isFinite(norm)) throw this.#failure(number, loss, norm)
    const learningRate = schedule.rateAt(number)
    const factor = clipFactor(norm, settings.maxGradNorm)
    optimizer.update(step.gradients, factor, learningRate, number)
    this.#progress.step = number
    const milliseconds = performance.now() - start
    const record = {
      step: number,
      loss,
      learningRate,
      norm,
      milliseconds,
      labelShare: labelTime / milliseconds,
    }
    await this.#metrics!.add({ kind: 'step', ...record })
    onStep?.(record)
  }

  /** Reports a nearly uniform softmax in the first batch. */
  async #remarkFlatSoftmax(): Promise<void> {
    const { examples, encoder, documents, settings, onRemark } = this.#parts
    if (!onRemark || !lossNamed(settings.loss).needsSharpSoftmax) return
    const { queries, lists } = await examples.at(0)
    const scores = scoresOf(await encoder.encode(queries), lists, documents)
    const { inverseTemperature } = settings
    const better = sharperThan(inverseTemperature, scores)
    if (better === undefined) return
    onRemark(
      `with inverse temperature ${inverseTemperature}, the softmax over the candidates is nearly flat, so the model learns little; try ${better}`,
    )
  }

  async #validate(): Promise<void> {
    const { validation, encoder, documents, settings, step, schedule, onValidation } = this.#parts
    if (!validation || validation.length === 0) await this.#save('latest')
    else {
      const embeddings = await encoder.encode(validation)
      const options = { listSize: settings.listSize, inverseTemperature: step.inverseTemperature }
      const result = validate(validation, embeddings, documents, options)
      const record = { step: this.#progress.step, ...result }
      await this.#metrics!.add({ kind: 'validation', ...record })
      if (record.step > 0) schedule.validated(result.loss)
      const value = criterion(settings.selectBy)(result)
      const better = !this.#progress.best || value > this.#progress.best.value
      this.#progress.sinceBest = better ? 0 : this.#progress.sinceBest + 1
      if (better) this.#progress.best = { step: record.step, value }
      this.#progress.schedule = schedule.state
      // In this order: a training that is killed in between can write `best` from `latest`.
      await this.#save('latest')
      if (better) await this.#save('best')
      onValidation?.(record)
    }
  }

  #stopsEarly(): boolean {
    const { earlyStoppingPatience } = this.#parts.settings
    return earlyStoppingPatience > 0 && this.#progress.sinceBest >= earlyStoppingPatience
  }

  async #save(name: CheckpointName): Promise<void> {
    const { out, lock, step, optimizer, examples } = this.#parts
    lock.check()
    await writeCheckpoint(checkpointFile(out, name), {
      progress: this.#progress,
      weights: step.weights,
      moments: optimizer.moments,
      candidates: examples.candidates,
    })
  }

  async #resume(name: CheckpointName): Promise<Progress> {
    const { out, step, optimizer, schedule, examples, identity } = this.#parts
    const state = { weights: step.weights, moments: optimizer.moments }
    const { progress, candidates } = await readCheckpoint(
      checkpointFile(out, name),
      state,
      identity,
    )
    if (candidates.length > 0) examples.candidates = candidates
    schedule.state = progress.schedule
    return progress
  }

  /**
   * Writes the best checkpoint if the training was killed after writing the latest, which is the
   * best.
   */
  async #completeBest(): Promise<void> {
    const { best, step } = this.#progress
    if (best?.step !== step) return
    const file = checkpointFile(this.#parts.out, 'best')
    const written = await readProgress(file).catch(() => undefined)
    if (written?.step !== step) await this.#save('best')
  }

  /** Saves the best weights as the result; without validation, the last weights. */
  async #finish(): Promise<void> {
    const { model, out, lock } = this.#parts
    const { best, step } = this.#progress
    if (best && best.step !== step) {
      const found = await this.#resume('best')
      if (found.step !== best.step) {
        const problem = `is from step ${found.step}, but the best step was ${best.step}; train again in another folder`
        throw new FileError(checkpointFile(out, 'best'), '', problem)
      }
    }
    lock.check()
    await model.save(out)
  }

  #failure(step: number, loss: number, norm: number): KithError {
    const what = Number.isFinite(loss) ? `the gradient norm is ${norm}` : `the loss is ${loss}`
    const file = checkpointFile(this.#parts.out, 'latest')
    const problem = `training stopped at step ${step}: ${what}; lower the learning rate, or clip gradients (maxGradNorm); last checkpoint: ${file}`
    return new KithError('DIVERGED', problem)
  }
}
