import Foundation
import PackagePlugin

/// Writes a typed Swift interface for each `.wbm` file of a target and puts the file into its
/// bundle.
///
/// `Models/shape-detector.wbm` becomes a class `ShapeDetector` that can be created without a path.
@main
struct WeighbridgePlugin: BuildToolPlugin {
  func createBuildCommands(
    context: PluginContext, target: any Target
  ) throws -> [Command] {
    guard let target = target as? any SourceModuleTarget else { return [] }
    let program = try context.tool(named: "InterfaceGenerator").url
    let folder = context.pluginWorkDirectoryURL
    return target.sourceFiles.map(\.url).filter { $0.pathExtension == "wbm" }.flatMap { model in
      let name = model.deletingPathExtension().lastPathComponent
      let (code, copy) = (
        folder.appending(path: "\(name).swift"), folder.appending(path: model.lastPathComponent)
      )
      return [
        Command.buildCommand(
          displayName: "Writing a Swift interface of \(model.lastPathComponent)",
          executable: program,
          arguments: [model.path, code.path, name], inputFiles: [model], outputFiles: [code]),
        // Output files that the compiler does not recognize are added to the bundle.
        Command.buildCommand(
          displayName: "Bundling \(model.lastPathComponent)", executable: URL(filePath: "/bin/cp"),
          arguments: [model.path, copy.path], inputFiles: [model], outputFiles: [copy]),
      ]
    }
  }
}
