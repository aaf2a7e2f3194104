export const wrong: number = 'text'
export const unchecked = (list: string[]) => list[0].length
export enum NotErasable {
  One,
}
