export const used = () => {}
export const unusedExport = () => {}
