import Bytes
import ImageSearch
import JSON

/// Ranks images for each query and prints the results.
struct SimilaritySearch {
  /// The result for a query.
  struct Result {
    let query: String
    let features: [Float]
    /// The images that are shown, the nearest first.
    let matches: [FeatureTable.Match]
    /// The images without a distance.
    let unranked: [FeatureTable.Unranked]
  }

  let source: IndexSource
  let table: FeatureTable
  let metric: FeatureDistance
  let top: Int
  let general: GeneralOptions

  /// Processes all queries. One of several that cannot be used is reported, and the others are
  /// processed.
  ///
  /// - Returns: The results of the queries that could be used.
  func run(_ queries: [String]) throws(WeighbridgeError) -> [Result] {
    var results: [Result] = []
    for query in queries {
      do throws(WeighbridgeError) {
        results.append(try result(query))
      } catch {
        guard queries.count > 1, error.code != .cancelled else { throw error }
        Console.message("error: \(error)")
      }
    }
    if general.json {
      Console.printLine(JSONValue.array(results.map(json)).text(indented: true))
    } else {
      for result in results { Console.printLine(text(result)) }
    }
    if let unranked = results.first?.unranked, !unranked.isEmpty {
      for image in unranked { Console.message("\(image.path) has no distance: \(image.reason)") }
    }
    return results
  }

  private func result(_ query: String) throws(WeighbridgeError) -> Result {
    let features = try source.analysis(ofImage: query).features ?? []
    let ranking: FeatureTable.Ranking
    do throws(WeighbridgeError) {
      ranking = try table.ranking(by: metric, from: features, excluding: canonicalPath(query))
    } catch {
      throw error.at(file: query)
    }
    return Result(
      query: query, features: features, matches: Array(ranking.matches.prefix(top)),
      unranked: ranking.unranked)
  }

  /// Returns the images without a distance that are shown: as many as `top` allows after the
  /// matches.
  private func shownUnranked(_ result: Result) -> some Sequence<FeatureTable.Unranked> {
    result.unranked.prefix(top - result.matches.count)
  }

  private func json(_ result: Result) -> JSONValue {
    let matches = result.matches.map { match -> JSONValue in
      .object(["image": .string(match.path), "distance": .real(match.distance)])
    }
    let unranked = shownUnranked(result).map { image -> JSONValue in
      .object([
        "image": .string(image.path), "distance": .null, "reason": .string(image.reason),
      ])
    }
    return .object(["query": .string(result.query), "matches": .array(matches + unranked)])
  }

  private func text(_ result: Result) -> String {
    var table = Table(["distance", "image"], rightAligned: [0])
    for match in result.matches {
      table.append([match.distance.text(decimals: 5), match.path])
    }
    for image in shownUnranked(result) { table.append(["-", "\(image.path) (\(image.reason))"]) }
    return "\(result.query)\n\(table.text)"
  }
}
