export type Third = import('./first.ts').First
