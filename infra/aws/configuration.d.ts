/** The compiled configuration of the stage; the build says which file stands behind the name. */
declare module "countersign:configuration" {
  const artifact: import("../../lib/config/artifact.ts").ConfigurationArtifact;
  export default artifact;
}
