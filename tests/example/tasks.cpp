/*
 * tasks.cpp -- two matrices that a program has, multiplied on four ranks, in C++
 *
 * Prints what it cost; ends with 1 if it is wrong.
 */
#include <aslant/aslant.hpp>
#include <iostream>
#include <numeric>
#include <vector>

enum : std::size_t { M = 30, N = 20, K = 40 };

static std::vector<double> A(M *K), B(K *N), C(M *N);

static bool is_right()
{
	for (std::size_t i = 0; i < M; i++)
		for (std::size_t j = 0; j < N; j++) {
			double sum = 0;

			for (std::size_t k = 0; k < K; k++)
				sum += A[i * K + k] * B[k * N + j];
			if (C[i * N + j] != sum)
				return false;
		}
	return true;
}

/* An error has an exit code and words; the task that failed closes itself. */
static int code_of(const char *option, const char *value)
{
	try {
		aslant::task("3d").set(option, value);
	} catch (const aslant::error &error) {
		return std::string(error.what()).empty() ? -1 : error.code;
	}
	return 0;
}

int main()
{
	aslant::task task("em-jomma");

	std::iota(A.begin(), A.end(), 1.);
	std::iota(B.begin(), B.end(), -99.);
	task.set("ranks", 4).set("store", "dram").set("reps", "2");
	task.operand(0, {A.data(), M, K}).operand(1, {B.data(), K, N});
	task.result({C.data(), M, N}).run();
	aslant::task moved = std::move(task);
	std::cout << moved.text(aslant::column::algorithm) << " on a grid of "
		  << moved.text(aslant::column::grid) << ": "
		  << moved.count(aslant::column::bh_words_max, 1)
		  << " words between ranks, "
		  << (is_right() ? "right" : "wrong") << "\n";
	if (code_of("foo", "1") != ASL_BAD_INPUT ||
	    code_of("ranks", "0") != ASL_BAD_INPUT || code_of("ranks", "4"))
		return 1;
	return !is_right() || moved.rows() != 2;
}
