'use strict';
// The command's first file. It runs the bundle from V8's code cache, which the build makes by running a query: parsing and
// compiling the bundle takes a third of a short command's time. Another V8 than the build's refuses the cache and compiles.
const { readFileSync } = require('node:fs');
const { Script } = require('node:vm');

const filename = `${__dirname}/BUNDLE.cjs`;
// The bundle is ASCII. As Latin-1 it stays one byte a character, and its length is what the cache was made for.
const code = `(function (exports, require, module, __filename, __dirname) {${readFileSync(filename, 'latin1')}\n})`;
new Script(code, { filename, cachedData: codeCache() }).runInThisContext()(
  exports,
  require,
  module,
  filename,
  __dirname,
);

function codeCache() {
  try {
    return readFileSync(`${__dirname}/BUNDLE.cache`);
  } catch {
    return undefined;
  }
}
