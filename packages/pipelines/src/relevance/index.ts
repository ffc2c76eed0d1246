/**
 * Internal: backgrounds and calibrations of files, for the command line. Use `background` of
 * `@kith/core` to make a background in programs.
 */

export { type CalibrateInputs, calibrateRun } from './calibrate-run.ts'
export { readCalibration } from './calibration-file.ts'
export { type BackgroundInputs, collectBackground } from './collect-background.ts'
export { reliabilityFiles, verdicts } from './reliability-page.ts'
