/**
 * What a check saw: how many things it looked at, and what is wrong with them. `absent` says why there is nothing to look
 * at; without it, looking at nothing fails.
 */
export type Findings = { looked: number; problems: string[]; absent?: string }

/**
 * A check of the repository. `look` checks the tree under `base`. In the tree `planted/<planted.folder>` it must find every
 * text of `planted.expect`: each run proves that the check can fail.
 */
export type Check = {
  name: string
  look(base: string): Findings | Promise<Findings>
  planted: { folder: string; expect: string[] }
}
