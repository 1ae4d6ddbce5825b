/*
 * aslant.hpp -- aslant.h for C++17: tasks that close themselves, views, exceptions
 *
 *	aslant::task task("em-jomma");
 *	task.set("ranks", 4).operand(0, {A, m, k}).operand(1, {B, k, n});
 *	task.result({C, m, n}).run();
 *	std::uint64_t words = task.count(aslant::column::bh_words_max);
 *
 * What aslant.h promises holds here.  Whatever fails throws aslant::error, a
 * result that is wrong aslant::check_failed, after which the result and the rows
 * are there.
 */
#ifndef ASLANT_HPP
#define ASLANT_HPP

#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <aslant/aslant.h>
#include <aslant/columns.h>

namespace aslant
{

class error : public std::runtime_error
{
public:
	explicit error(int exit_code)
		: std::runtime_error(asl_why()), code(exit_code)
	{
	}
	int code; /* enum asl_exit */
};

struct check_failed : error {
	using error::error;
};

/* An array by rows, without gaps unless `steps` (in doubles) are given. */
template <class T> struct view {
	T *at;
	std::vector<std::uint64_t> sizes, steps;

	view(T *to, std::initializer_list<std::uint64_t> sizes_of,
	     std::initializer_list<std::uint64_t> steps_of = {})
		: at(to), sizes(sizes_of), steps(steps_of)
	{
	}
	view(T *to, std::uint64_t rows, std::uint64_t cols,
	     std::uint64_t ld = 0)
		: view(to, {rows, cols}, {ld ? ld : cols, 1})
	{
	}
	/* A vector, or whatever else has data() and size(). */
	template <class V, class = decltype(std::declval<V &>().data())>
	view(V &v) : at(v.data()), sizes{v.size()}, steps{1}
	{
	}
	const std::uint64_t *step() const
	{
		return steps.empty() ? nullptr : steps.data();
	}
};

class task
{
public:
	explicit task(const std::string &algorithm)
	{
		check(asl_task_open(&it, algorithm.c_str()));
	}
	task(task &&other) noexcept : it(std::exchange(other.it, nullptr)) {}
	task &operator=(task &&other) noexcept
	{
		std::swap(it, other.it);
		return *this;
	}
	~task() { asl_task_close(it); }

	/* Options of aslant run, without dashes: text, numbers, or flags. */
	task &set(const std::string &option, const std::string &value)
	{
		return check(asl_task_set(it, option.c_str(), value.c_str()));
	}
	template <class X, class = std::enable_if_t<std::is_arithmetic_v<X>>>
	task &set(const std::string &option, X value)
	{
		return set(option, std::to_string(value));
	}
	task &set(const std::string &flag)
	{
		return check(asl_task_set(it, flag.c_str(), nullptr));
	}
	task &operand(int which, const view<const double> &x)
	{
		return check(asl_task_operand(it, which, x.at,
					      (int)x.sizes.size(),
					      x.sizes.data(), x.step()));
	}
	task &result(const view<double> &x)
	{
		return check(asl_task_result(it, x.at, (int)x.sizes.size(),
					     x.sizes.data(), x.step()));
	}
	task &communicator(int comm)
	{
		return check(asl_task_communicator(it, comm));
	}

	task &run() { return check(asl_task_run(it)); }
	task &plan() { return check(asl_task_plan(it)); }
	task &bounds() { return check(asl_task_bounds(it)); }

	/* Rows of the last of these, from 0 on. */
	int rows() const { return asl_task_rows(it); }
	std::string text(const char *column, int row = 0) const
	{
		const char *found = asl_task_text(it, row, column);

		return found ? found : throw std::out_of_range(column);
	}
	std::uint64_t count(const char *column, int row = 0)
	{
		std::uint64_t x;

		check(asl_task_count(it, row, column, &x));
		return x;
	}
	double number(const char *column, int row = 0)
	{
		double x;

		check(asl_task_number(it, row, column, &x));
		return x;
	}
	std::string csv() const { return asl_task_csv(it); }

private:
	struct asl_task *it = nullptr;

	task &check(int code)
	{
		if (code == ASL_CHECK_FAILED)
			throw check_failed(code);
		if (code)
			throw error(code);
		return *this;
	}
};

} // namespace aslant

#endif
