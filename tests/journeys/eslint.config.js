// The rules and the packages are those of the interface; `npm run lint` there looks at this folder too.
export { default } from '../../ui/eslint.config.js';
