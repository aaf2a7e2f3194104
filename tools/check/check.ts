/**
 * What a check saw: how many things it looked at, and what is wrong with them. `absent` says why there is nothing to look
 * at; without it, looking at nothing fails.
 */
export type Findings = { looked: number; problems: string[]; absent?: string }

/**
 * A check of the repository. `look` judges the tree under `base`; run on the tree `planted/<planted.folder>` it must find
 * every text of `planted.expect`, which proves on each run that it sees.
 */
export type Check = {
  name: string
  look(base: string): Findings | Promise<Findings>
  planted: { folder: string; expect: string[] }
}
