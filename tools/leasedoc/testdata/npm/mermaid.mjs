// Parses the Mermaid diagram on standard input with the real package; exit status 1 and the parser's words if it does not.
import {readFileSync} from 'node:fs';
import {JSDOM} from 'jsdom';

const {window} = new JSDOM('');
Object.assign(globalThis, {window, document: window.document});
const {default: mermaid} = await import('mermaid');
const {diagramType} = await mermaid.parse(readFileSync(0, 'utf8'));
console.log(diagramType);
