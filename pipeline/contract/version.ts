/**
 * Version of the contract: operations, parameters, errors and the shape of answers. It follows semantic versioning from
 * a client's view: the first number changes if clients break (a field is removed, renamed or changes its meaning, a
 * parameter becomes required), the second if something is added, the third if only descriptions improve. It is neither
 * the code's version (in package.json) nor the data's (`model_version`); the `/v1` of every path is its first number.
 */
export const CONTRACT_VERSION = '1.18.0';
