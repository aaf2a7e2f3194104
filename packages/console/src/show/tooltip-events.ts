/** Tooltips also open by the keyboard and by touch. */
export const TOOLTIP_EVENTS = { hover: true, focus: true, touch: true }
