import Bytes
import ImageSearch
import JSON

/// Ranks images for each query and prints the results.
struct SimilaritySearch {
  let source: IndexSource
  let table: FeatureTable
  let metric: FeatureDistance
  let top: Int
  let general: GeneralOptions

  /// Processes all queries. One of several that cannot be used is reported, and the others are
  /// processed.
  ///
  /// - Returns: The results of the queries that could be used.
  func run(_ queries: [String]) throws(WeighbridgeError) -> [SimilarImages] {
    var results: [SimilarImages] = []
    for query in queries {
      do throws(WeighbridgeError) {
        results.append(
          try source.images(like: query, in: table, by: metric, top: top))
      } catch {
        guard queries.count > 1, error.code != .cancelled else { throw error }
        Console.message("error: \(error)")
      }
    }
    if general.json {
      Console.printLine(JSONValue.array(results.map(\.json)).text(indented: true))
    } else {
      for result in results { Console.printLine(text(result)) }
    }
    if let unranked = results.first?.unranked, !unranked.isEmpty {
      for image in unranked { Console.message("\(image.path) has no distance: \(image.reason)") }
    }
    return results
  }

  private func text(_ result: SimilarImages) -> String {
    var table = Table(["distance", "image"], rightAligned: [0])
    for match in result.matches {
      table.append([match.distance.text(decimals: 5), match.path])
    }
    for image in result.shownUnranked { table.append(["-", "\(image.path) (\(image.reason))"]) }
    return "\(result.query)\n\(table.text)"
  }
}
