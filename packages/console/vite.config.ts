import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** The server replaces this with a fresh nonce in every page. */
const NONCE_PLACEHOLDER = '__CSP_NONCE__'

export default defineConfig({
  base: '/console/',
  plugins: [react()],
  html: { cspNonce: NONCE_PLACEHOLDER },
  build: {
    outDir: 'dist',
    sourcemap: false,
    // The content security policy does not allow data: URLs.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
})
