/**
 * Internal: backgrounds and calibrations of files, for the command line. Programs make a background
 * with `background` of `@kith/core`.
 */

export { type CalibrateInputs, calibrateRun } from './calibrate-run.ts'
export { readCalibration } from './calibration-file.ts'
export { type BackgroundInputs, collectBackground } from './collect-background.ts'
export { reliabilityFiles, verdicts } from './reliability-page.ts'
