import type { TrainSettings } from '../settings.ts'

/** The settings of learning rate schedules: docs/method.md section 7. */
export type ScheduleSettings = Pick<
  TrainSettings,
  'learningRate' | 'warmup' | 'schedule' | 'finalRatio' | 'patience' | 'factor' | 'steps'
>

/** The state of a schedule; it is part of a checkpoint. */
export interface ScheduleState {
  bestLoss: number | null
  stalled: number
  reductions: number
}

/** Computes the learning rate of each step. */
export class Schedule {
  state: ScheduleState = { bestLoss: null, stalled: 0, reductions: 0 }

  constructor(readonly settings: ScheduleSettings) {}

  /** Returns the learning rate of a step; the first step is 1. */
  rateAt(step: number): number {
    const { learningRate, warmup, schedule, finalRatio, steps, factor } = this.settings
    const peak =
      schedule === 'plateau' ? learningRate * factor ** this.state.reductions : learningRate
    if (step < warmup) return (peak * step) / warmup
    if (schedule !== 'linear' || steps <= warmup) return peak
    const done = (step - warmup) / (steps - warmup)
    return peak * (1 - (1 - finalRatio) * done)
  }

  /** Records the loss of a validation. */
  validated(loss: number): void {
    const { state, settings } = this
    if (state.bestLoss === null || loss < state.bestLoss) {
      this.state = { ...state, bestLoss: loss, stalled: 0 }
    } else if (state.stalled + 1 < settings.patience) {
      this.state = { ...state, stalled: state.stalled + 1 }
    } else this.state = { ...state, stalled: 0, reductions: state.reductions + 1 }
  }
}
