import ArgumentParser
import Bytes
import ImageSearch

/// `weighbridge index`
struct Index: CancellableCommand {
  static let configuration = CommandConfiguration(
    commandName: "index",
    abstract: "Indexes a folder's images with a model, for searching.",
    discussion: """
      Stores what a detector finds, or another model's output as a feature vector, for every JPEG \
      and PNG image in the folder and its subfolders, in an SQLite database. Only new and changed \
      images are analyzed; those that were moved or copied are recognized by their bytes. Each \
      image is stored as soon as it is analyzed: after Ctrl-C, the next run continues from there. \
      Several processes may update one index.

      Example:
        weighbridge index photos --model yolov3-tiny.wbm -o photos.db
        weighbridge search --in photos.db --object dog:0.1,0.3,0.4,0.6
      """)

  @Argument(help: "The folder.")
  var folder: String

  @Option(help: ArgumentHelp("The model, of any format that can be read.", valueName: "file"))
  var model: String

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The index; made when it is not there.", valueName: "photos.db"))
  var output: String

  @OptionGroup var indexing: IndexingOptions

  @Flag(help: "Name each file on standard error when it is done.")
  var progress = false

  @OptionGroup var analysis: AnalysisOptions
  @OptionGroup(title: "Source") var source: SourceOptions
  @OptionGroup var general: GeneralOptions

  func run(_ cancellation: Cancellation) throws {
    guard isFolder(folder) else {
      throw WeighbridgeError.missing("is not a folder").at(file: folder)
    }
    let analyzer = try analysis.analyzer(model, source.readOptions, cancellation, general)
    let index = try ImageIndex(updating: output, for: analyzer, rebuild: indexing.rebuild)
    let folderUpdate = FolderUpdate(
      analyzer: analyzer, threads: analysis.preparation.threading.threads,
      cancellation: cancellation, general: general, printsFiles: progress)
    let update = try folderUpdate.run(folder, in: index)
    general.report(update.json(output)) { Console.printLine("\(output): \(update.text)") }
    if !update.problems.isEmpty { throw ExitStatus.checkFailed }
  }
}
