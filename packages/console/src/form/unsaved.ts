import { useEffect } from 'react'

/** The forms on the page; each tells whether it has edits that are not saved. */
const forms = new Set<() => boolean>()

/** Whether leaving the page would lose edits. */
export function hasUnsaved(): boolean {
  return [...forms].some((isUnsaved) => isUnsaved())
}

/** Lets the page be left without a question. */
export function discardUnsaved(): void {
  forms.clear()
}

/** Registers a form as long as it is shown. */
export function useUnsaved(isUnsaved: () => boolean): void {
  useEffect(() => {
    forms.add(isUnsaved)
    return () => {
      forms.delete(isUnsaved)
    }
  })
}
