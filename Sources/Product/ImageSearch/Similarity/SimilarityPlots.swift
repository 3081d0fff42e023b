package import Bytes
import GraphIR

/// The drawings of images that are most like others, in a folder.
package struct SimilarityPlots {
  private let folder: String
  private let metric: FeatureDistance

  /// - Parameter folder: Where the files go; made when it is not there.
  package init(folder: String, metric: FeatureDistance) {
    (self.folder, self.metric) = (folder, metric)
  }

  /// Writes a bar chart for each query, and a heat map of the queries and their matches, each as
  /// SVG and PNG.
  package func write(
    _ results: [SimilarImages], _ table: FeatureTable
  ) throws(WeighbridgeError) {
    try makeFolder(folder)
    let prefix = folder.hasSuffix("/") ? folder : folder + "/"
    var names = UniqueNames(separator: "-")
    for result in results {
      let base = FilePath(result.query).name
      try write(
        Plot.bars(of: result.features, title: base), to: prefix + names.unused(base) + ".features")
    }
    let entries = entries(results, table)
    guard !entries.isEmpty else { return }
    try write(Plot.heatMap(of: entries, by: metric), to: prefix + "distances")
  }

  private func write(_ plot: Plot, to path: String) throws(WeighbridgeError) {
    try plot.writeSVG(to: path + ".svg")
    try plot.writeImage(to: path + ".png")
  }

  /// Returns the queries, then the matches in the order in which they are shown, each file once.
  private func entries(
    _ results: [SimilarImages], _ table: FeatureTable
  ) -> [Plot.HeatMapEntry] {
    var files: [(path: String, features: [Float])] = []
    var listed: Set<String> = []
    for result in results where listed.insert(canonicalPath(result.query)).inserted {
      files.append((result.query, result.features))
    }
    let known = Dictionary(
      table.entries.map { ($0.path, $0.features) }, uniquingKeysWith: { first, _ in first })
    for match in results.flatMap(\.matches) where listed.insert(match.path).inserted {
      if let features = known[match.path] { files.append((match.path, features)) }
    }
    return files.prefix(Plot.heatMapEntryCount).map { file in
      Plot.HeatMapEntry(features: file.features, image: try? Image(contentsOf: file.path))
    }
  }
}
